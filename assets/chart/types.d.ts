// What travels to assets/chart, as components/widgets/chart.py `pack` sends it, and Plotly as it is used.

declare namespace Charts {
  interface Figure { data: object[]; layout: Layout }
  /** `meta`: of heatmaps, the pixels that they get higher for each that they get wider, and whether they stand beside a picture. */
  interface Layout extends Record<string, unknown> { height: number; width?: number; meta?: { grow?: number; beside?: boolean } }
  interface Sent extends Figure {
    alt: string;
    /** Of a figure in the light theme's colours: what each is in the dark one. */
    dark?: Record<string, string>;
    /** What is different in the same figure's layout on a phone. */
    narrow?: Partial<Layout>;
    /** Tells it from every other: what is sent ahead says what it follows. */
    look: number;
    /** The picture's file; no tools are shown without it. */
    file?: string;
    /** As wide as its place. */
    wide?: boolean;
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
  /** On its way, for all charts of the page. */
  headcountPlotly?: Promise<PlotlyProgram>;
  /** When the chart that was asked for last may be drawn. */
  headcountTurn?: Promise<void>;
}
