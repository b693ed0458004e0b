/** Encodings inside encodings: nobody honest needs a third. */
export const MAX_DEPTH = 4;
/** Of one block, unpacked. A bomb holds a thousand times its size (RFC 1951 section 3.2.5: 258 bytes by a few bits). Bytes. */
export const MAX_UNPACKED = 256 * 1024;
/** Blocks of one text that are tried as packed: each costs some microseconds. */
export const MAX_PACKED = 256;
