/** Those who want to know of new prices. */
export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    add(listener: () => void): () => void {
      // A new function each time, so that the same listener can listen twice.
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    tell(): void {
      for (const listener of listeners) listener();
    },
  };
}
