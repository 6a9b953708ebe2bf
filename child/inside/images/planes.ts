/** An image is measured at so many pixels each way. */
export const SIDE = 128;

/** Lightness and the two colour axes of Oklab, row by row. */
export type Planes = { l: Float32Array; a: Float32Array; b: Float32Array };

const linear = Float32Array.from({ length: 256 }, (_, byte) => {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});

/** sRGB bytes as Oklab (Ottosson 2020): equal steps there are about equally far apart to an eye. */
export function planesOf(rgb: Uint8Array): Planes {
  const count = rgb.length / 3;
  const planes: Planes = { l: new Float32Array(count), a: new Float32Array(count), b: new Float32Array(count) };
  for (let i = 0; i < count; i++) {
    const [r, g, b] = [linear[rgb[i * 3]!]!, linear[rgb[i * 3 + 1]!]!, linear[rgb[i * 3 + 2]!]!];
    const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    planes.l[i] = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short;
    planes.a[i] = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
    planes.b[i] = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  }
  return planes;
}

/** A plane at half the size, each pixel the mean of four. */
export function halved(plane: Float32Array): Float32Array {
  const side = SIDE / 2;
  const half = new Float32Array(side * side);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const at = y * 2 * SIDE + x * 2;
      half[y * side + x] = (plane[at]! + plane[at + 1]! + plane[at + SIDE]! + plane[at + SIDE + 1]!) / 4;
    }
  return half;
}
