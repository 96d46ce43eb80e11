/** Making elements. Texts of strangers only ever become text nodes, with all that could disguise them escaped. */

/** @typedef {Record<string, string | number | boolean | null>} Attributes null and false leave one out */
/** @typedef {Node | string | null | undefined | false | 0} Child falsy values leave it out */

/**
 * An element with its attributes and what is in it.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function h(tag, attributes, ...children) {
    return withAll(document.createElement(tag), attributes, children);
}

/**
 * The same for a part of a drawing.
 * @param {string} tag @param {Attributes} attributes @param {...Child} children
 */
export function drawn(tag, attributes, ...children) {
    return withAll(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * @template {Element} Any
 * @param {Any} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function withAll(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
    }
    return fill(element, ...children);
}

/**
 * Puts these children into an element in the place of others.
 * @template {Element} Any
 * @param {Any} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
    element.replaceChildren(...children.flatMap((child) => (child ? [child] : [])));
    return element;
}

/** @param {Attributes} attributes @param {() => void} does @param {...Child} children */
export function button(attributes, does, ...children) {
    const element = h("button", { type: "button", ...attributes }, ...children);
    element.addEventListener("click", does);
    return element;
}

/**
 * A place for text that was written by a program, which scrolls by itself.
 * @param {string} name @param {...Child} children
 */
export function lineBox(name, ...children) {
    return h("pre", { tabindex: 0, role: "group", "aria-label": name }, ...children);
}

/**
 * Sets a text, only where it changes, so that nothing is read out twice.
 * @param {Element} element @param {string} text
 */
export function say(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes one tab stop of many buttons: the arrow keys up and down lead from one to the next.
 * @param {HTMLElement} list
 * @param {() => readonly HTMLElement[]} buttons those that are there now, in order
 */
export function oneStop(list, buttons) {
    list.addEventListener("keydown", (event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!by) return;
        const all = buttons();
        all[all.indexOf(/** @type {HTMLElement} */ (event.target)) + by]?.focus();
        event.preventDefault();
    });
    list.addEventListener("focusin", (event) => {
        for (const one of buttons()) one.tabIndex = one === event.target ? 0 : -1;
    });
}

const UNSAFE =
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/**
 * A stranger's text with all that could disguise it escaped, as the referee's reports do (protocol/text.py).
 * @param {string} text
 */
export function harmless(text) {
    return text.replace(UNSAFE, (letter) => {
        const code = (letter.codePointAt(0) ?? 0).toString(16);
        return code.length < 3 ? `\\x${code.padStart(2, "0")}` : code.length < 5 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
    });
}
