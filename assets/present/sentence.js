// A drawing without numbers: nothing moves.
export default function () {}
