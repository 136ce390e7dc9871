/** The most that each may have, so that all together have no more than there is: who needs less leaves the rest to the others. */
export function fairShare(needs: readonly number[], room: number): number {
  let left = Math.max(0, room);
  const sorted = [...needs].sort((a, b) => a - b);
  for (const [i, need] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - i));
    if (need > share) return share;
    left -= need;
  }
  return Math.max(0, room);
}
