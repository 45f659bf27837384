/**
 * Control characters, C0, DEL and C1, for a character class of a pattern. Published patterns spell them out:
 * `\\p{Cc}` means something else, or nothing, to most readers of JSON Schema.
 */
export const controlCharacters = String.raw`\u0000-\u001f\u007f-\u009f`;
