/** Faults in the settings, each with the name of its setting. */
export class Faults {
  readonly #found: { name: string; text: string }[] = [];

  /** Drops a second fault of the same setting: it follows from the first, or shows up again once that is fixed. */
  add(name: string, text: string): void {
    if (!this.#found.some((fault) => fault.name === name)) this.#found.push({ name, text });
  }

  /** Whether the setting, or the part of the file that holds it, has a fault. */
  concern(name: string): boolean {
    return this.#found.some((fault) => fault.name === name || name.startsWith(`${fault.name}.`));
  }

  get texts(): string[] {
    return this.#found.map(({ text }) => text);
  }
}
