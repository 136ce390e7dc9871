/**
 * The known name that `name` was probably meant to be: one that contains it, or else the one that takes the fewest
 * edits, up to `most`. Undefined if none is near.
 */
export function nearest(
  name: string,
  known: readonly string[],
  most = Math.max(1, Math.floor(name.length / 2)),
): string | undefined {
  const longer = name.length >= 3 ? known.filter((candidate) => candidate.includes(name)) : [];
  if (longer.length === 1) return longer[0];
  let best: string | undefined;
  let fewest = most + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= fewest) continue;
    const edits = editDistance(name, candidate, fewest);
    if (edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

/** The edits that make `a` of `b`; once it is certain that they are not fewer than `limit`, that. */
function editDistance(a: string, b: string, limit: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1));
    }
    if (Math.min(...next) >= limit) return limit;
    row = next;
  }
  return row[b.length]!;
}
