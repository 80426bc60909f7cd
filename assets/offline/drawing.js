// Drawings without cells, one for each head count.
const drawings = /** @type {string[]} */ (/*DRAWINGS*/[]);
change = (at) => { byId("root").innerHTML = drawings[at]; };
change(start);
