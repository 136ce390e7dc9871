import { useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { Button, Copied, Labelled, Typed } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';

interface DeedProps<T> {
  /** On the button, and again in the question: "Revoke". */
  name: string;
  /** What it will do, in a sentence. */
  says: React.ReactNode;
  /** What it is decided by, all of it, however long. */
  shows?: () => React.ReactNode;
  /** The name of a field in the question. */
  field?: string;
  /** The command line that does the same, with what is typed into the field. */
  command: string | ((typed: string) => string);
  /** What is read again afterwards. */
  changes: string;
  run: (typed: string) => Promise<T>;
  /** What is shown when it is done; otherwise the question closes. */
  done?: (result: T) => React.ReactNode;
  disabled?: boolean;
  kind?: 'main' | 'quiet';
}

/** Something that the operator does: it is asked once, and shows the command that does the same. */
export function Deed<T>({
  name,
  says,
  shows,
  field,
  command,
  changes,
  run,
  done,
  disabled,
  kind = 'quiet',
}: DeedProps<T>) {
  const dialog = useRef<HTMLDialogElement>(null);
  // What is done is what was asked: what the page has read again since may be something else.
  const asking = () => ({ says, command, run, shown: shows?.() });
  const [asked, setAsked] = useState(() => ({ ...asking(), shown: undefined as React.ReactNode }));
  const [typed, setTyped] = useState('');
  const question = useId();
  const { state, perform, clear } = usePerformed({
    run: () => asked.run(typed.trim()),
    changes,
    onDone: () => done === undefined && dialog.current?.close(),
  });
  const { busy, error, result } = state;
  const open = () => {
    // What was left under way is shown before it is asked anew: it would be done twice, and what it gave be lost.
    if (!busy && error === undefined && !(done && result !== undefined)) {
      clear();
      setAsked(asking());
      setTyped('');
    }
    dialog.current?.showModal();
    // What changes nothing is the key that is pressed by mistake.
    dialog.current?.querySelector<HTMLButtonElement>('[data-leave]')?.focus();
  };
  return (
    <>
      <Button kind={kind} className="min-h-8 whitespace-nowrap px-3" disabled={disabled} onClick={open}>
        {name}
      </Button>
      <dialog
        ref={dialog}
        onClose={() => !busy && clear()}
        aria-label={name}
        aria-describedby={question}
        tabIndex={-1}
        className="panel visible m-auto w-[min(32rem,calc(100vw-2rem))] p-0 text-ink backdrop:bg-black/50"
      >
        <div className="grid gap-3 p-4 text-sm">
          <h2 className="font-semibold text-base">{name}</h2>
          {result !== undefined && done ? (
            <div>{done(result)}</div>
          ) : (
            <>
              <p id={question} className="[overflow-wrap:anywhere]">
                {asked.says}
              </p>
              {asked.shown}
              {field !== undefined && (
                <Labelled name={field}>{(id) => <Typed id={id} value={typed} change={setTyped} />}</Labelled>
              )}
              <Command text={typeof asked.command === 'string' ? asked.command : asked.command(typed.trim())} />
            </>
          )}
          {error !== undefined && <Trouble error={error} />}
          <div className="flex justify-end gap-2">
            <Button kind="quiet" data-leave onClick={() => dialog.current?.close()}>
              {result !== undefined ? 'Close' : 'Leave it'}
            </Button>
            {result === undefined && (
              <Button busy={busy} onClick={() => void perform()}>
                Yes, {name.toLowerCase()}
              </Button>
            )}
          </div>
        </div>
      </dialog>
    </>
  );
}

/** What a deed has come to. */
function usePerformed<T>({ run, changes, onDone }: { run: () => Promise<T>; changes: string; onDone: () => void }) {
  const queries = useQueryClient();
  const [state, setState] = useState<{ busy: boolean; error?: unknown; result?: T }>({ busy: false });
  const perform = async () => {
    setState({ busy: true });
    try {
      const result = await run();
      await queries.invalidateQueries({ queryKey: ['admin', changes] });
      setState({ busy: false, result });
      onDone();
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return { state, perform, clear: () => setState({ busy: false }) };
}

function Command({ text }: { text: string }) {
  return (
    <div className="grid gap-1">
      <span className="label">The command that does the same</span>
      <span className="flex items-start justify-between gap-2 rounded bg-sunken px-2.5 py-1.5">
        <code className="font-mono text-xs [overflow-wrap:anywhere]">{text}</code>
        <Copied text={text} shown="" what="the command" />
      </span>
    </div>
  );
}

/**
 * A word of a command line, quoted where a shell would take it apart. Without control characters: pasted, they act on the
 * terminal, quotes or not.
 */
export const shellWord = (text: string): string => {
  const plain = text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '');
  return /^[\w./:@%+=,-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
};
