/** Making elements. Texts of strangers only ever become text nodes. */

/**
 * An element with its attributes and what is in it. Null and false leave an attribute or a child out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | null>} attributes
 * @param {...(Node | string | null | false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    setAll(element, attributes);
    for (const child of children) if (child !== null && child !== false) element.append(child);
    return element;
}

/**
 * The same for a part of a drawing.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null>} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function drawn(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    setAll(element, attributes);
    element.append(...children);
    return element;
}

/**
 * @param {Element} element
 * @param {Record<string, string | number | boolean | null>} attributes
 */
function setAll(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
    }
}

/**
 * A button that does something.
 * @param {Record<string, string | number | boolean | null>} attributes
 * @param {() => void} does
 * @param {...(Node | string | null | false)} children
 * @returns {HTMLButtonElement}
 */
export function button(attributes, does, ...children) {
    const element = h("button", { type: "button", ...attributes }, ...children);
    element.addEventListener("click", does);
    return element;
}

/**
 * Sets a text, only where it changes, so that nothing is read out twice.
 * @param {Element} element
 * @param {string} text
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
