import { expect } from 'chai';
import { x25519Key } from '../../../harness/identity/index.ts';
import { answerNonce, BoxKey, boxWith } from '../index.ts';

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');

/** The example of NaCl's own crypto_box tests. */
const NACL = {
  bobScalar: hex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'),
  alicePublic: hex('8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a'),
  nonce: hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37'),
  message:
    hex(`be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129
    6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59f
    fd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705`),
  sealed:
    hex(`f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0
    dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfea
    bd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5`),
};

describe('a box', () => {
  const own = x25519Key(NACL.bobScalar);

  it('is NaCl’s crypto_box, tag first', () => {
    const box = new BoxKey(own, NACL.alicePublic);
    expect(box.seal(NACL.nonce, NACL.message).equals(NACL.sealed)).to.equal(true);
    expect(box.open(NACL.nonce, NACL.sealed)?.equals(NACL.message)).to.equal(true);
  });

  it('does not open what was changed, cut, or sealed with another nonce', () => {
    const box = new BoxKey(own, NACL.alicePublic);
    const changed = Buffer.from(NACL.sealed);
    changed.writeUInt8(changed.readUInt8(40) ^ 1, 40);
    expect(box.open(NACL.nonce, changed)).to.equal(undefined);
    expect(box.open(NACL.nonce, NACL.sealed.subarray(0, 15))).to.equal(undefined);
    expect(box.open(answerNonce(NACL.nonce), NACL.sealed)).to.equal(undefined);
  });

  it('pads before it seals, so that all that is of a kind is of a size', () => {
    const box = new BoxKey(own, NACL.alicePublic);
    for (const sizeBytes of [0, 1, 98]) {
      const sealed = box.sealPadded(NACL.nonce, Buffer.alloc(sizeBytes, 7), 100);
      expect(sealed.length).to.equal(116);
      expect(box.openPadded(NACL.nonce, sealed)?.length).to.equal(sizeBytes);
    }
    expect(() => box.sealPadded(NACL.nonce, Buffer.alloc(99), 100)).to.throw('at most 98');
  });

  it('cannot be agreed on with a key of small order, nor with one of another length', () => {
    expect(boxWith(own, new Uint8Array(32))).to.equal(undefined);
    expect(boxWith(own, new Uint8Array(31))).to.equal(undefined);
  });
});
