/** What is wrong with the settings: each fault with the setting that it is about. */
export class Faults {
  readonly #found: { name: string; text: string }[] = [];

  /** A second fault of the same setting is left out: it follows from the first, or shows again once that is mended. */
  add(name: string, text: string): void {
    if (!this.#found.some((fault) => fault.name === name)) this.#found.push({ name, text });
  }

  /** Whether the setting, or the part of the file that holds it, is at fault. */
  concern(name: string): boolean {
    return this.#found.some((fault) => fault.name === name || name.startsWith(`${fault.name}.`));
  }

  get texts(): string[] {
    return this.#found.map(({ text }) => text);
  }
}
