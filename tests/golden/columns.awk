# A table of CSV told as one fact a line: the values of each row that are not empty, behind their columns.
function cells(line, out,   n, cell, c, i, quoted) {
    n = 0
    cell = ""
    quoted = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"")
            quoted = !quoted
        else if (c == "," && !quoted) {
            out[++n] = cell
            cell = ""
        } else
            cell = cell c
    }
    out[++n] = cell
    return n
}

NR == 1 {
    count = cells($0, names)
    next
}

{
    print "row " NR - 1
    cells($0, values)
    for (at = 1; at <= count; at++) {
        if (values[at] != "")
            print "  " names[at] ": " values[at]
    }
}
