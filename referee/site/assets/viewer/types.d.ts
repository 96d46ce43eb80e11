/** The shapes of the states document (`referee/match_states/states.py`), and what the viewer makes of it. Only tsc reads this. */

/** A path into the state, and the value that stands there now. */
type Change = [(string | number)[], unknown];

/** A seat that knows a card, the number of the step since when, and the kind of event that showed it. */
type Knows = [number, number, string];

interface SlotState {
    up: boolean;
    card: string | null;
    knows: Knows[];
}

interface SeatState {
    slots: (SlotState | null)[];
    /** By slot, its row and its column. */
    places: [number, number][];
    shields: (string | null)[];
    strokes: number[];
    total: number;
    score: number | null;
    worth: number | null;
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
    hand: { seat: number; cards: (string | null)[]; knows: Knows[][] } | null;
    seats: SeatState[];
}

interface Place {
    lies: "stock" | "pile" | "hand" | "slot" | "shield";
    seat?: number;
    slot?: number;
}

interface FaultOfStep {
    kind: string;
    detail: string;
    line?: string;
    forfeits?: boolean;
}

interface Answered {
    seat: number;
    decision?: string | null;
    action?: unknown;
    waived_us?: number;
    joined?: boolean;
    fault?: FaultOfStep | null;
    comment?: string;
}

interface Step {
    at: string;
    round: number;
    turn: number;
    window?: number;
    event: string;
    seat?: number;
    against?: number;
    power?: string;
    words?: string[];
    /** The cards that are concerned, as seat and slot, where they lie afterwards. */
    cards?: [number, number][];
    moved?: { from: Place; to: Place }[];
    /** The seats that can no longer tell which of the face-down `cards` is which. */
    blinds?: number[];
    answers?: Answered[];
    changes?: Change[];
}

interface Reacted {
    seat: number;
    target?: [number, number] | null;
    raw_us?: number | null;
    wait_us?: number | null;
    corrected_us?: number | null;
    late?: boolean;
    hint?: string;
    fault?: FaultOfStep | null;
    comment?: string;
}

interface SlapOfWindow {
    seat: number;
    target: [number, number];
    card: string;
    verdict: "right" | "wrong" | "late";
    step: number;
}

/** A slap window; times are in microseconds. */
interface SlapWindow {
    at: string;
    round: number;
    number: number;
    step: number;
    steps: number;
    discarder: number;
    discard: string;
    slaps?: SlapOfWindow[];
    slap_order: string;
    photo_finish_us: number;
    reactions?: Reacted[];
    asked?: number[];
    order?: number[];
    groups?: number[][];
    disturbed?: string;
}

interface RoundOfMatch {
    round: number;
    playoff: boolean;
    first: number;
    last: number;
    scores: number[];
    totals: number[];
    par: number | null;
    ender: number | null;
    capped: boolean;
}

/** One thing that passed on a wire, told apart by `what`. */
type WireEntry =
    | { what: "sent"; text: string; awaits?: string | null; limit_s?: number }
    | { what: "wrote"; text: string; size: number; ignored?: string }
    | { what: "took"; us: number; waived_us?: number; action?: unknown; in_window?: boolean }
    | { what: "joined"; action: unknown }
    | { what: "fault"; kind: string; detail: string; line?: string; forfeits?: boolean }
    | { what: "late"; hint: string };

/** All that passed on the wire of a bot, each entry with the number of the step after which it stands. */
interface Wire {
    seat: number;
    entries: [number, WireEntry][];
    wrote_lines: number;
    wrote_bytes: number;
    stderr: string;
    stderr_bytes: number;
}

interface Bot {
    name: string;
    owner?: string;
}

/** A match as one viewer may know it. */
interface StatesDocument {
    golfref: string;
    preset: string;
    game: string;
    view: string;
    seat?: number | null;
    bots: Bot[];
    rows: number;
    columns: number;
    totals: number[];
    ranks: number[];
    start: TableState;
    steps: Step[];
    rounds: RoundOfMatch[];
    windows: SlapWindow[];
    /** Those of the seats of which this viewer may know. */
    wires: Wire[];
}

/** A match as one view knows it, with the table after each step. */
interface Model {
    /** `public`, `open` or `seat0`, `seat1`, ... */
    view: string;
    document: StatesDocument;
    bots: Bot[];
    steps: Step[];
    /** By step, the table after it. */
    states: TableState[];
    windows: SlapWindow[];
    /** What passed between the referee and the bot of this seat; undefined where this view may not know of it. */
    wire: (seat: number) => Wire | undefined;
    /** By the name of a moment, the number of its step. */
    moments: Map<string, number>;
    /** Shows another step. The page sets it. */
    goTo: (number: number) => void;
}

/** A part of the page that follows the step that is shown. */
interface Panel {
    /** Its heading. */
    title: string;
    /** Where it stands on wide screens: right below the table, beside it, or below all. */
    place: "near" | "beside" | "below";
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
