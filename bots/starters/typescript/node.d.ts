// What the bot uses of Node. If you use more, run `npm install --save-dev @types/node`, delete this file, and delete the
// line with "types" in tsconfig.json.

declare const process: {
  stdin: AsyncIterable<string> & { setEncoding(encoding: "utf8"): void };
  stdout: { write(text: string): boolean };
};

declare const console: { error(...values: unknown[]): void };
