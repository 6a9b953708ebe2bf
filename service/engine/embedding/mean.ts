/**
 * Mean vector of the sentence encoder over 1,500 words, definitions and example sentences of WordNet (abstract nouns,
 * verbs, adjectives): 512 signed bytes. What all texts have in common says nothing about one of them: taken off, the mean
 * product of unrelated texts falls from 0.27 to 0.08, and the sought noun is first for 7 of 25 descriptions instead of 4.
 */
const BYTES = [
  '6AgK8wbnC74Z2yIH0NGXGOweLg4RDCXy4Sv+DcHeN/8Qz0/4nPIvzSgXSd0QJw49MAFIINnwDg/2IPvjmQyX+xMNAu45F+/fHjYpvQR/+xnT6bUM/1T1yvoL',
  '8OXj9qX98K7uK5olRywZ1uIn3AnyztoIKP4BGRHN+NUgzqsBIhc2CjCX6CCus+wL3DfIyVpOChsU8wAC9JbUABfEEQ838hEScA74/ym85TfSANUR4zj9HFIC',
  '5B4wvSb78HPu5t9AESPiERgZ3C8xExGh6Rs4FeBFzSkqI/zX/N5G+g7z/Ngn5xHVILQRGd1LBFJi0AZ3BiD8/h/4H8btwPuZHZHdJxD1SPYEB/sT5kgRAe3w',
  'Ht8f9OEMt/cT7b1K8/bS6RlXAikBHRsBQZFGA99YHxb6KQ7ZND0j5/UH9CUflRroSOsS9x8ACvLr0tXIN7DP8XUq9if0INUJB9nuITZoBlhKAwPRyQ/Rwu3H',
  'ZSLv3PTcR9r3wrLU/u8jIgwnSxjjIpESEgMFyfMDwvQC4zRnRPG9x9Vp4yTSJhbWUCT06hrhV6sX9jRI+LAD4O8GBtLR0Rz4EAEJy7z36QzxDSFw+i1l/2Is',
  '4wozGgWqR8xJIRnOEeEuePRK4ZFMBlQH9SY5/svx/evhwvYQCQKeExzzHgoSNfvtNB/Z+tcCF99HAwzABRA=',
].join('');

const LARGEST = 0.063669;

/** The mean vector, in the encoder's own scale (unit vectors). */
export const meanVector: Float32Array = Float32Array.from(new Int8Array(Buffer.from(BYTES, 'base64')), (value) => (value / 127) * LARGEST);
