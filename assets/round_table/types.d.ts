// What travels to the round table, as headcount/stage/pictures/trained/table.py sends it.

declare namespace RoundTable {
  interface Guest { name: string; dish: string; host: boolean }
  interface Answer { question: string; who: string; right: string; predicted: string; sure: number; ok: boolean }
  /** One network at the table. `attention`: a weight for each head, guest and seat; the other lists: by guest, rates by question. */
  interface Table {
    title: string;
    note: string;
    guests: Guest[];
    attention: number[][][];
    answers: Answer[][];
    rates: string[];
    alts: string[];
  }
  interface Plan { tables: Table[]; guest: number; rates_heading: string }
}

/** A table that is drawn. */
interface Card {
  table: RoundTable.Table;
  svg: SVGSVGElement;
  lines: SVGGElement;
  badges: SVGGElement;
  guests: SVGGElement[];
  answers: HTMLTableElement;
}
