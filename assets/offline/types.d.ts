/** The stage's component and Plotly, which stand before these programs in the file. */
declare function mount(call: ComponentCall<Uint8Array>): () => void;
declare const packed: string;
declare const Plotly: { react(element: HTMLElement, data: object[], layout: object, config: object): void };

/** What is said of the picture at one place of the slider (components/export/offline.py). */
interface Stop { value: number; here: boolean; title: string; caption: string; stamp: string }
