// keep the ring a library
