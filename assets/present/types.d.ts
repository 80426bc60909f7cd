// What travels to the walk's player, as components/pages/presenter/film.py sends it.

/** A block of the picture, its first row and column within the block, and how many rows and columns. */
type Area = [block: string, row: number, col: number, rows: number, cols: number];
/** What is under way, how long it is shown, what is computed, what it comes to, the sum with it, what it is about, what is there from now on. */
type Still = [act: string, seconds: number, text: string, result: string, total: string, marks: Area[], lands: Area[]];

interface FilmData {
  name: string;
  /** Beside the whole picture. */
  rest: string;
  /** Blocks whose numbers are not there at the beginning. */
  empty: string[];
  stills: Still[];
}

interface Window {
  /** Whether notes are seen, from step to step. */
  headcountNotes?: boolean;
}
