package read

// Pair is a sending and a receiving location, by index.
type Pair struct{ Send, Receive uint32 }
