/** The shapes of the states document (`referee/film/states.py`), and what the viewer makes of it. Only tsc reads this. */

/** A path into the state, and the value that stands there now. */
type Change = [(string | number)[], unknown];

interface SlotState {
    up: boolean;
    card: string | null;
    /** Each seat that knows the face-down card, and the number of the step since when. */
    knows?: [number, number][];
}

interface SeatState {
    slots: (SlotState | null)[];
    /** By slot, its row and its column. */
    places: [number, number][];
    shields: (string | null)[];
    strokes: number[];
    total: number;
    score: number | null;
    worth?: number | null;
    forfeited: boolean;
}

interface TableState {
    round: number;
    playoff: boolean;
    dealer: number;
    turn: number | null;
    ender: number | null;
    stock: number;
    pile: { count: number; top: (string | null)[] };
    hand: { seat: number; cards: (string | null)[] } | null;
    seats: SeatState[];
}

interface Step {
    at: string;
    round: number;
    turn: number;
    window?: number;
    event?: string | null;
    seat?: number | null;
    words?: string[];
    /** The cards that are concerned, as seat and slot. */
    cards?: [number, number][];
    changes?: Change[];
}

interface Bot {
    name: string;
    owner?: string;
}

interface PublicDocument {
    format: string;
    golfref: string;
    preset: string;
    game: string;
    view: string;
    seat?: number | null;
    bots: Bot[];
    totals: number[];
    ranks: number[];
    start: TableState;
    steps: Step[];
}

/** What makes a seat's or the open document out of the public one. */
interface Additions {
    view: string;
    seat?: number | null;
    start: TableState;
    more: { step: number; words?: string[] | null; changes?: Change[] }[];
}

/** A match as one view knows it, with the table after each step. */
interface Model {
    /** `public`, `open` or `seat0`, `seat1`, ... */
    view: string;
    document: PublicDocument;
    additions: Additions | null;
    bots: Bot[];
    steps: Step[];
    /** By step, the table after it. */
    states: TableState[];
    /** By the name of a moment, the number of its step. */
    moments: Map<string, number>;
    /** Shows another step. The page sets it. */
    goTo: (number: number) => void;
}

/** A part of the page that follows the step that is shown. */
interface Panel {
    /** Its heading. */
    title: string;
    /** Builds it once for a match; a false answer leaves the panel out. */
    mount: (element: HTMLElement, model: Model) => boolean | void;
    /** Shows a step, by its number. */
    show: (model: Model, number: number) => void;
}

/** Browsers have it; the types of Debian's tsc do not. */
declare class DecompressionStream {
    constructor(format: "deflate-raw");
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
}
