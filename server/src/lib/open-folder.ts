import { statSync } from 'node:fs';

/** Whether everybody may make files and sockets in a folder, as in /tmp. */
export function isForAll(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o002) !== 0;
}
