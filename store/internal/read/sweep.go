package read

// ChunkBytes is how much is read ahead in one round, and as much again while that is worked on.
const ChunkBytes = 4 << 20

// MinChunkBytes is the least that is worth reading ahead.
const MinChunkBytes = 64 << 10
