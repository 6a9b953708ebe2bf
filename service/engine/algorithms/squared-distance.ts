/** Square of the distance between vector `i` of `a` and vector `j` of `b`, both flat. */
export const squaredDistance = (a: Float32Array, i: number, b: Float32Array, j: number, dims: number): number => {
  let sum = 0;
  for (let k = 0; k < dims; k += 1) sum += (a[i * dims + k]! - b[j * dims + k]!) ** 2;
  return sum;
};
