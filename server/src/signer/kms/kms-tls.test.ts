import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { useProcessPlace } from './process-testing.js';
import { KmsDouble } from './testing.js';

const place = useProcessPlace();
const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

async function doubleWithTls(): Promise<KmsDouble> {
  const made = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-x509', '-days', '2'];
  const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', 'kms.key', '-out', 'kms.pem'];
  execFileSync('openssl', [...made, ...named, ...files], { cwd: place.folder, stdio: 'pipe' });
  return new KmsDouble({ key: readFileSync(place.at('kms.key')), cert: readFileSync(place.at('kms.pem')) }).start();
}

test('attack: key management in the place of AWS KMS, with a certificate that nobody trusts, is shown no request, whatever the environment allows others', {
  skip,
}, async (t) => {
  const double = await doubleWithTls();
  t.after(() => double.stop());
  place.writeSettings({ kms: double.makeAll() });
  for (const allowed of ['1', '0']) {
    const untrusted = await place.init({ NODE_TLS_REJECT_UNAUTHORIZED: allowed });
    assert.equal(untrusted.code, 1);
    assert.match(untrusted.error, /AWS KMS does not answer kms:GetPublicKey .*SELF_SIGNED_CERT/);
    assert.deepEqual([double.asked, double.refused], [[], []]);
  }
  const trusted = await place.init({ NODE_EXTRA_CA_CERTS: place.at('kms.pem') });
  assert.equal(trusted.code, 0, trusted.error);
  assert.ok(double.countOf('Encrypt') > 0);
  assert.deepEqual(double.refused, []);
});
