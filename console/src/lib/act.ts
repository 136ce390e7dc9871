import type { Progress } from '@slipway/client';
import { useRef, useState } from 'react';

export interface Step {
  name: Progress['step'];
  /** Milliseconds since the act began. */
  after: number;
}

export interface Act<T> {
  running: boolean;
  steps: readonly Step[];
  done?: T | undefined;
  error?: unknown;
}
type Run<T> = (onProgress: (progress: Progress) => void) => Promise<T>;

/** Something that is signed and landed, and how far it is. One at a time: a second click is the first one's. */
export function useAct<T>(): Act<T> & { run: (act: Run<T>) => Promise<void>; clear: () => void } {
  const [state, setState] = useState<Act<T>>({ running: false, steps: [] });
  const busy = useRef(false);
  const run = async (act: Run<T>) => {
    if (busy.current) return;
    busy.current = true;
    const begin = performance.now();
    setState({ running: true, steps: [] });
    const onProgress = ({ step }: Progress) => {
      const after = Math.round(performance.now() - begin);
      setState((last) => ({ ...last, steps: [...last.steps, { name: step, after }] }));
    };
    try {
      const done = await act(onProgress);
      setState(({ steps }) => ({ running: false, steps, done }));
    } catch (error) {
      setState(({ steps }) => ({ running: false, steps, error }));
    }
    busy.current = false;
  };
  return { ...state, run, clear: () => setState({ running: false, steps: [] }) };
}
