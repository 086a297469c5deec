// build: no kernel
// verdict: invalid compile

