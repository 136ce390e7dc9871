import { useQuery } from '@tanstack/react-query';
import { Scroll } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { read } from './session.js';

/** What the admin API answers, by the word under which acts name what they change. */
export function useAdmin<T>(word: string, path: string) {
  return useQuery({
    queryKey: ['admin', word, path],
    queryFn: () => read<T>(path),
    refetchInterval: 10_000,
    placeholderData: (before) => before,
  });
}

/** How many rows are asked for, of what may be very many. */
export const MOST_ROWS = 100;
/** Of a list whose rest the API does not give. */
export const moreThan = (rows: readonly unknown[] | undefined): string | undefined =>
  rows && rows.length >= MOST_ROWS ? `These are the newest ${MOST_ROWS}: there may be more.` : undefined;

interface TableProps<T> {
  name: string;
  headings: readonly string[];
  rows: readonly T[] | undefined;
  error: unknown;
  keyOf: (row: T) => string;
  /** One for each heading. */
  cells: (row: T) => readonly React.ReactNode[];
  none: string;
  /** Below the rows, where they are not all. */
  more?: React.ReactNode;
}

/** Rows of the admin API. */
export function Table<T>({ name, headings, rows, error, keyOf, cells, none, more }: TableProps<T>) {
  return (
    <>
      {/* Beside the rows that are known: a question may be open in one of them. */}
      {error ? <Trouble error={error} stale={rows !== undefined} /> : null}
      <Rows name={name} headings={headings} rows={rows} error={error} keyOf={keyOf} cells={cells} none={none} />
      {more && <p className="border-line border-t px-4 py-2 text-soft text-sm">{more}</p>}
    </>
  );
}

function Rows<T>({ name, headings, rows, error, keyOf, cells, none }: TableProps<T>) {
  if (rows === undefined) return error ? null : <Waiting className="p-4" />;
  if (rows.length === 0) return <p className="p-4 text-soft text-sm">{none}</p>;
  return (
    <Scroll name={name} className="max-h-[34rem]">
      <table className="w-full min-w-[56rem] text-sm">
        <thead>
          <tr className="text-soft">
            {headings.map((heading) => (
              <th key={heading} scope="col" className="px-4 py-2 text-left font-normal">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-line border-t align-baseline">
              {cells(row).map((cell, index) => (
                // Cells have no other name than their heading.
                <td key={headings[index]} className="px-4 py-2">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

export const momentText = (iso: string | null): string =>
  iso === null ? '–' : new Date(iso).toLocaleString('en-GB', { dateStyle: 'short', timeStyle: 'medium' });
