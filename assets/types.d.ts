// The data of the programs in this folder, and the parts of other programs that they use. The stage's types have a file of their own.

// The data of assets/ahead, as headcount/stage/wire.py `ahead_bytes` sends it.

declare namespace Foresight {
  interface Slider { code: string; label: string; at: number }
  interface Head {
    sliders: Slider[];
    /** The code of the slider whose next stops are sent; far: many of them. */
    touched: string;
    far: boolean;
    /** By the key of the picture: the present one's number, and by the slider's value the bytes where the next begins and ends. */
    pictures: Record<string, { look: number; scenes: Record<string, [from: number, to: number]> }>;
  }
}

// The data of assets/chart, as components/widgets/chart.py `pack` sends it, and the used parts of Plotly.

declare namespace Charts {
  interface Figure { data: object[]; layout: Layout }
  /** `meta`: of heatmaps, the pixels that they get higher for each that they get wider, whether they stand beside a picture, and the
   * least width at which their rows have words. */
  interface Layout extends Record<string, unknown> { height: number; width?: number; meta?: { grow?: number; beside?: boolean; hall?: boolean; worded?: number; at?: MapCell } }
  /** The framed cell of heads' maps, from which the arrow keys go on; of how many rows, columns and heads. */
  interface MapCell { head: number; row: number; col: number; rows: number; cols: number; heads: number }
  interface Sent extends Figure {
    alt: string;
    /** For a figure in the light theme's colours: each colour's counterpart in the dark theme. */
    dark?: Record<string, string>;
    /** The differences of the same figure's layout on a phone. */
    narrow?: Partial<Layout>;
    /** The number that identifies the figure. A prefetched one says which it follows. */
    look: number;
    /** The name of the picture's file. Without it no tools are shown. */
    file?: string;
    /** A click on a point is told to the server. */
    click?: boolean;
  }
  /** `pointNumber` of a heatmap's cell: its row and column. */
  interface Point { pointIndex?: number; pointNumber?: number | [number, number]; customdata?: unknown; data?: { meta?: object } }
}

interface PlotlyElement extends HTMLElement {
  on?(event: "plotly_click" | "plotly_doubleclick", then: (event: { points: Charts.Point[] }) => void): void;
}

interface PlotlyProgram {
  react(element: HTMLElement, data: object[], layout: object, config: object): Promise<unknown>;
  toImage(figure: object, options: object): Promise<string>;
  relayout(element: HTMLElement, change: object): Promise<unknown>;
  purge(element: HTMLElement): void;
}

interface Window {
  Plotly?: PlotlyProgram;
  /** The program's load, for all charts of the page. */
  headcountPlotly?: Promise<PlotlyProgram>;
  /** When the chart that was asked for last may be drawn. */
  headcountTurn?: Promise<void>;
}

/** The stage's component and Plotly, which come before these programs in the file. */
declare function mount(call: ComponentCall<Uint8Array>): () => void;
declare const Plotly: { react(element: HTMLElement, data: object[], layout: object, config: object): void };

/** The content of a page at one place of its controls (headcount/export/offline.py). */
interface Frame { query: string | null; texts: string[]; alts: string[]; pictures: unknown[] }

// The data of the player of a cell's arithmetic, as components/widgets/play.py sends it.

/** The term, its result, the sum with it; and its places in the row and the column that it comes from, −1 for none. */
type Term = [text: string, result: string, total: string, from: number, to: number];

interface Played {
  cell: string;
  terms: Term[];
  /** The text before the sum of the terms so far. */
  so_far: string;
  /** Whether the last term is no part of the sum but a division by it. */
  divides: boolean;
  /** Whether the card can be closed; whether its line has room for the present term alone. */
  closes: boolean;
  brief: boolean;
}

interface ShownTerm { cut: boolean; before: string[]; text: string; result: string; total: string; from: number; to: number }

// The data of the walk's player, as components/presenter/film.py sends it.

/** A block of the picture, the area's first row and column in it, and its number of rows and columns. */
type Area = [block: string, row: number, col: number, rows: number, cols: number];
/** Part of the computation, seconds, term, result, sum with it, marked areas, areas whose numbers appear (`Still` in film.py). */
type Still = [act: string, seconds: number, text: string, result: string, total: string, marks: Area[], lands: Area[]];

interface FilmData {
  name: string;
  /** The text beside the whole picture. */
  rest: string;
  /** Blocks whose numbers are hidden at the beginning. */
  empty: string[];
  stills: Still[];
}

interface Window {
  /** Keys that were pressed before the program was loaded. */
  headcountKeys?: string[] | null;
  /** The window with the walk's notes, from step to step. */
  headcountNotes?: Window | null;
}
