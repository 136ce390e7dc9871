/** Things to close, last opened first. If closing one fails, the others are closed anyway. */
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
