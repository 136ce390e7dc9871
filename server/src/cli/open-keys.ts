import { type Config, dataFolder } from '../config/index.js';
import { openSigner, readPrivateFile } from '../signer/index.js';

/** The service's keys, from the file that it has made. @throws PrivateFileError */
export async function openKeys(config: Config): ReturnType<typeof openSigner> {
  const generated = config.sandbox ? await readPrivateFile(dataFolder(config).signerPassphrase) : undefined;
  const passphrase = config.signer.passphrase ?? generated?.toString('utf8').trim();
  return openSigner({ file: config.signer.file, passphrase, create: false, programs: config.programs });
}
