#error "not written yet"
