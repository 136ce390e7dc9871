import { plain } from './plain.js';

/** Rows under their headings, in columns two spaces apart. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((line) => line.map(plain));
  const widths = headings.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, (line[column] ?? '').length), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
