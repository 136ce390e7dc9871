import { open } from 'node:fs/promises';

/** Makes sure that names made, linked or renamed in a folder are still there after a crash of the machine. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
