// The stage's data, as headcount/stage/wire.py sends it (tests/stage/test_scene.py compares the two), and the stage's own
// state. `rows` and `cols` count cells; a Length is a number of cells plus pixels.

declare namespace Wire {
  type Length = [cells: number, px: number];
  type Scale = "weight" | "input" | "signed" | "score" | "share";

  interface LitPart {
    block: string;
    part: "row" | "col" | "cell";
    by: "r" | "c";
  }

  interface Block {
    id: string;
    grid: string | null;
    row: number;
    col: number;
    rows: number;
    cols: number;
    x: Length;
    y: Length;
    width: number;
    height: number;
    name: string;
    head?: number;
    hue?: number;
    strip?: "top" | "left";
    edges?: string;
    copy?: number;
    faded?: boolean;
    warn?: boolean;
    turned?: boolean;
    bands?: number;
    calm?: boolean;
    pale?: number[];
    first?: number;
    look?: "plain" | "bar";
    sources?: LitPart[];
    row_labels?: string[];
    col_labels?: string[];
    hit?: number;
  }

  interface Text {
    text: string;
    x: Length;
    y: Length;
    size: number;
    anchor: "start" | "middle" | "end";
    role?: "ink" | "muted" | "strong" | "warn";
    hue?: number;
    mark?: "frame" | "dots";
    press?: string;
  }

  interface Curve {
    points: [Length, Length][];
    thick: number;
    hue?: number;
    label?: string;
    along?: number;
    dot?: boolean;
    faded?: boolean;
  }

  interface Panel {
    id: string;
    width: Length;
    height: Length;
    on: boolean;
    go: string | null;
    zone: string;
    low?: boolean;
    least_px: number;
    blocks: Block[];
    texts: Text[];
    curves?: Curve[];
  }

  interface Link {
    first: string;
    second: string;
    text: string;
  }

  interface Grid {
    at: number;
    rows: number;
    cols: number;
    scale: Scale;
    pool: number;
  }

  /** A picture without its numbers. */
  interface Picture {
    rows: Panel[][];
    narrow?: Panel[][];
    beside?: Panel;
    links?: Link[];
    grids: Record<string, Grid>;
    tops: Partial<Record<Scale, number>>;
    alt: string;
    captions: string[];
    max_cell: number;
    min_cell: number;
  }

  interface Slider {
    at: number;
    scenes: Record<number, Picture>;
  }

  interface Plan extends Picture {
    look: number;
    labels: Record<string, string>;
    computed: string[];
    slider?: Slider;
    example?: boolean;
    chosen?: string | null;
    large?: boolean;
    /** Names of scales that replace the default ones. */
    scales?: Record<Scale, string>;
  }
}

/** The rules of the arrangement, which headcount/stage/layout.py reads, too. */
type LayoutRules = typeof import("./layout.json");

/** Colours of a theme (headcount/stage/theme.py). */
interface Palette {
  ink: string;
  muted: string;
  line: string;
  warn: string;
  lift: string;
  signed: string[];
  share: string[];
  pale: string[];
  heads: string[];
  head_text: string[];
}

type Rgb = [red: number, green: number, blue: number];

/** A colour of a scale, and the colour of text on it. */
interface Shade {
  fill: string;
  ink: string;
}
interface Piece { text: string; low: boolean; up: boolean }
/** The width in pixels of a text without subscripts or superscripts. */
type Measure = (text: string, size: number, bold: boolean) => number;
interface Rect { x: number; y: number; w: number; h: number }
interface PlacedPanel extends Rect { panel: Wire.Panel }
interface PlacedBlock extends Rect { block: Wire.Block; panel: Wire.Panel }
interface PlacedText { text: Omit<Wire.Text, "x" | "y">; x: number; y: number; box?: Rect }
interface PlacedCurve { curve: Wire.Curve; points: [x: number, y: number][] }
interface PlacedLink { text: string; start: [x: number, y: number]; end: [x: number, y: number] }
interface Placed { cell: number; height: number; frames: PlacedPanel[]; blocks: PlacedBlock[]; texts: PlacedText[]; curves: PlacedCurve[]; links: PlacedLink[] }
/** The empty corner of a product, in pixels. */
interface Corner { wide: number; tall: number }
/** A cell of a block: row and column count from the block's own first. */
interface Hit { one: PlacedBlock; r: number; c: number }
/** The places of all cells of one grid in one zone, x and y alternating; NaN for a cell that is not drawn. */
interface Spots { rows: number; cols: number; xy: Float32Array }
interface Shown extends Placed { spots: Map<string, Spots>; rects: Map<string, PlacedBlock> }
/** Places (from, and the one after the last) in the row and the column that a cell comes from; −1 for none. */
interface PlayedTerm { cell: string; from: number; to: number }
/** An area of a block: its first row and column there, and its number of rows and columns. */
type FilmArea = [block: string, row: number, col: number, rows: number, cols: number];
/** The present still of a film, from 1; blocks that are empty at first; areas that are computed by now, and just now. */
interface FilmStill { at: number; empty: string[]; landed: FilmArea[]; marks: FilmArea[] }
/** Prefetched pictures (assets/ahead): packed, by the key of the picture and the value of the slider with this label. */
interface SentAhead {
  sliders: { label: string; at: number }[];
  pictures: Record<string, { look: number; label: string; scenes: Record<string, Uint8Array> }>;
}

interface Window {
  /** The last prefetched pictures. A picture may come to the page after them. */
  headcountAhead?: SentAhead;
}
interface ChosenCell { name: string; head: number | undefined; row: number; col: number }

/** Streamlit's argument of a component's function. */
interface ComponentCall<Data> {
  data: Data;
  parentElement: HTMLElement | ShadowRoot;
  setTriggerValue: (name: string, value: unknown) => void;
}
