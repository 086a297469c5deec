# What .c and .h files consist of, in the house's style: a definition begins in column 0, and its opening brace
# has a line of its own. For each file named on the command line:
#
#   file PATH CODE COMMENTED WRITTEN             lines of code; lines that hold a comment; lines that are not blank
#   function PATH NAME static|shared LENGTH USES the length from the name's line to the closing brace; how often the file
#                                                uses the name otherwise (declarations and members of that name left out)

# The line without comments; strings and characters become "". Sets `commented`.
function code_of(line,    code, found, rest) {
    code = ""
    commented = 0
    while (1) {
        if (in_comment) {
            commented = 1
            rest = index(line, "*/")
            if (rest == 0)
                return code
            line = substr(line, rest + 2)
            in_comment = 0
        }
        if (!match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)+'|\/\/|\/\*/))
            return code line
        found = substr(line, RSTART, 2)
        code = code substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        if (found == "//") {
            commented = 1
            return code
        }
        if (found == "/*")
            in_comment = 1
        else
            code = code "\"\""
    }
}

# The name that a declaration at the outermost level declares as a function; "" for anything else.
function name_of(text) {
    gsub(/__attribute__ *\(\([^;{]*\)\)\)?/, "", text)
    if (text ~ /^(typedef|struct [a-z_0-9]+ *$)/ || text ~ /^[^(]*=/)
        return ""
    if (!match(text, /[A-Za-z_][A-Za-z_0-9]* *\(/))
        return ""
    text = substr(text, RSTART, RLENGTH - 1)
    gsub(/ /, "", text)
    return text
}

function end_file(    i) {
    if (path == "")
        return
    print "file", path, code_lines, commented_lines, written_lines
    for (i = 1; i <= functions; i++)
        print "function", path, name[i], kind[i], length_of[i], uses[name[i]] + 0
}

FNR == 1 {
    end_file()
    path = FILENAME
    code_lines = commented_lines = written_lines = functions = in_comment = in_function = 0
    header = ""
    split("", uses)
}

{
    text = code_of($0)
    if ($0 ~ /[^ \t]/)
        written_lines++
    if (commented)
        commented_lines++
    if (text !~ /[^ \t]/)
        next
    code_lines++

    words = text
    gsub(/(\.|->) *[A-Za-z_][A-Za-z_0-9]*/, " ", words)
    gsub(/[^A-Za-z_0-9]+/, " ", words)
    count = split(words, word, " ")
    for (i = 1; i <= count; i++)
        uses[word[i]]++

    if (text ~ /^#/ || continued) {
        continued = text ~ /\\$/
        next
    }
    if (in_function) {
        if (text ~ /^}/) {
            in_function = 0
            length_of[functions] = FNR - first + 1
        }
        next
    }
    if (text ~ /^[A-Za-z_]/) {
        header = text
        first = FNR
    } else if (text ~ /^{/) {
        found = name_of(header)
        if (found != "") {
            uses[found]--
            name[++functions] = found
            kind[functions] = header ~ /^static / ? "static" : "shared"
            length_of[functions] = 1
            in_function = 1
        }
        header = ""
        next
    } else {
        header = header " " text
    }
    if (text ~ /; *$/) {
        found = name_of(header)
        if (found != "")
            uses[found]--
        header = ""
    }
}

END {
    end_file()
}
