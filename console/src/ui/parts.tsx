import { useId, useLayoutEffect, useRef, useState } from 'react';
import { short } from '../lib/format.js';
import { Icon } from './icon.js';

type ButtonProps = Omit<React.ComponentProps<'button'>, 'ref'> & {
  kind?: 'main' | 'quiet';
  /** What it began is under way. It does nothing meanwhile, and keeps the focus, which a disabled one loses. */
  busy?: boolean;
};

export function Button({
  kind = 'main',
  className = '',
  type = 'button',
  busy = false,
  onClick,
  ...rest
}: ButtonProps) {
  const own = useFocusPassedOn();
  const look =
    kind === 'main'
      ? 'border-transparent bg-accent text-on-accent hover:opacity-90 disabled:bg-sunken disabled:text-soft disabled:border-line aria-disabled:bg-sunken aria-disabled:text-soft aria-disabled:border-line'
      : 'border-edge text-ink hover:bg-tint disabled:text-soft aria-disabled:text-soft';
  return (
    <button
      ref={own}
      type={type}
      aria-disabled={busy || undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
      className={`min-h-10 rounded-[5px] border px-4 font-semibold text-sm disabled:cursor-not-allowed aria-disabled:cursor-progress ${look} ${className}`}
      {...rest}
    />
  );
}

/** Where a button goes away that has the focus, what it stood in gets the focus: the keyboard goes on from there. */
function useFocusPassedOn() {
  const own = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const button = own.current;
    return () => {
      if (button === null || document.activeElement !== button) return;
      const places: HTMLElement[] = [];
      for (let at = button.parentElement; at !== null; at = at.parentElement) if (at.matches(PLACES)) places.push(at);
      // Only afterwards is it known which of them are still there.
      queueMicrotask(() => places.find((place) => place.isConnected)?.focus({ preventScroll: true }));
    };
  }, []);
  return own;
}
const PLACES = 'section[tabindex], dialog, main';

export function Panel({
  title,
  aside,
  children,
  className = '',
}: {
  title: string;
  aside?: React.ReactNode;
  children: React.ReactNode;
  className?: string;
}) {
  return (
    <section className={`panel min-w-0 ${className}`}>
      <div className="flex min-h-11 items-center justify-between gap-3 border-line border-b px-4 py-1.5">
        <h2 className="font-semibold text-sm">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

interface LabelledProps {
  name: string;
  problem?: string | undefined;
  /** The control, with this id. */
  children: (id: string) => React.ReactNode;
}

/** A control with its name, and what is wrong with it. */
export function Labelled({ name, problem, children }: LabelledProps) {
  const id = useId();
  return (
    <div className="grid min-w-0 content-start gap-1">
      <label htmlFor={id} className="label">
        {name}
      </label>
      {children(id)}
      {problem && (
        <p role="status" className="text-down text-xs">
          {problem}
        </p>
      )}
    </div>
  );
}

/** A field for an amount or a price. It asks for no keypad: where decimals stand behind a comma, that has no point. */
export function Typed({ id, value, change }: { id: string; value: string; change: (text: string) => void }) {
  return <input id={id} className="field" value={value} onChange={({ target }) => change(target.value)} />;
}

/** The ends of an address, which a click copies whole. */
export function Copied({ text, shown = short(text), what }: { text: string; shown?: string; what: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    // Only a page that came by https, or from this machine, has one.
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else if (!copyAsKeysDo(text)) return;
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button
      type="button"
      onClick={copy}
      title={text}
      className="inline-flex min-h-6 items-center gap-1 whitespace-nowrap font-mono text-soft text-xs hover:text-ink"
    >
      {shown}
      <Icon name={done ? 'check' : 'copy'} className="size-3.5" />
      <span className="sr-only">{done ? 'copied' : `copy ${what}`}</span>
    </button>
  );
}

/** Copies as the keyboard does, which pages may that came by http. */
function copyAsKeysDo(text: string): boolean {
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', give, { once: true });
  const isCopied = document.execCommand('copy');
  document.removeEventListener('copy', give);
  return isCopied;
}

/** A part of a screen that scrolls by itself. */
export function Scroll({
  name,
  className = '',
  children,
}: {
  name: string;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    // Relative, so that what is hidden from sight in it does not widen the page.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll here
    <section aria-label={name} tabIndex={0} className={`relative overflow-auto ${className}`}>
      {children}
    </section>
  );
}
