import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** sha256 of a text, hexadecimal: as `hash.ts` has it, where there is no `node:crypto`. */
export const sha256Of = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));
