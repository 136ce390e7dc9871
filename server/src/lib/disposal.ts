/** Things to close, the last opened first; a failing one does not keep the others open. */
export interface Disposal {
  add(name: string, close: () => unknown): void;
  close(onError: (name: string, error: unknown) => void): Promise<void>;
}

export function createDisposal(): Disposal {
  const open: { name: string; close: () => unknown }[] = [];
  return {
    add: (name, close) => void open.push({ name, close }),
    async close(onError) {
      for (let part = open.pop(); part; part = open.pop()) {
        try {
          await part.close();
        } catch (error) {
          onError(part.name, error);
        }
      }
    },
  };
}
