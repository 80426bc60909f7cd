// What travels to the player of a cell's arithmetic, as components/widgets/play.py sends it.

/** What is written, what it comes to, the sum with it; and its places in the row and the column that it comes from, −1 for none. */
type Term = [text: string, result: string, total: string, from: number, to: number];

interface Played {
  cell: string;
  terms: Term[];
  /** What stands before the sum of the terms so far. */
  so_far: string;
  /** Whether the last term is no part of the sum but a division by it. */
  divides: boolean;
  /** Whether the card can be closed. */
  closes: boolean;
}

interface ShownTerm { cut: boolean; before: string[]; text: string; result: string; total: string; from: number; to: number }
