/**
 * What all of these open. Rejects like `Promise.all`, but only once each has been opened or has failed: nothing may be closed
 * while it is being opened.
 */
export async function allOpen<const T extends readonly unknown[]>(
  opening: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(opening);
  return Promise.all(opening);
}
