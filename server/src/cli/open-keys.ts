import { type Config, dataFolder } from '../config/index.js';
import { connectSigner, endpointOf, type KeyPort, openSigner, readPrivateFile } from '../signer/index.js';
import { CommandError } from './context.js';

/** For a command, a signer that is not there is not waited for. */
const PATIENCE_MS = 0;

/** The service's keys: from the file that it has made, or those of the signer. @throws CommandError, PrivateFileError, Outage */
export async function openKeys(config: Config): Promise<KeyPort & { close(): void }> {
  if (config.signer.kind === 'process') {
    const endpoint = await endpointOf(config.signer);
    return connectSigner({ endpoint, name: config.signer.url, patienceMs: PATIENCE_MS });
  }
  const { file } = config.signer;
  if ((await readPrivateFile(file)) === undefined)
    throw new CommandError(
      `there is no signer file at ${file}: if there was one, restore it from a backup; the first start of the service makes one`,
    );
  const generated = config.sandbox ? await readPrivateFile(dataFolder(config).signerPassphrase) : undefined;
  const passphrase = config.signer.passphrase ?? generated?.toString('utf8').trim();
  const signer = await openSigner({ file, passphrase, create: false, programs: config.programs });
  return { ...signer, close() {} };
}
