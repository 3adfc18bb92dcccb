// The Go peers are one module, which needs no other.
module freshet/peer

go 1.19
