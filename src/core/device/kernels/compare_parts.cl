struct part {
    double difference, reference, sum_got, sum_reference, largest, most, most_wrong;
    ulong at, compared, wrong, nans, specials, first_special, got_nans, expected_nans;
    ulong unwritten, first_unwritten, poisoned, expected_poisoned, left, left_written;
    ulong seen, stamp;
};
function struct part part_none(ulong first)
{
    struct part p = {0, 0, 0, 0, 0, 0, 0, first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    return p;
}
function struct part part_merged(struct part p, struct part q)
{
    p.difference += q.difference;
    p.reference += q.reference;
    p.sum_got += q.sum_got;
    p.sum_reference += q.sum_reference;
    p.most = fmax(p.most, q.most);
    p.most_wrong = fmax(p.most_wrong, q.most_wrong);
    if (q.largest > p.largest || (q.largest == p.largest && q.at < p.at)) {
        p.largest = q.largest;
        p.at = q.at;
    }
    if (q.specials && (p.specials == 0 || q.first_special < p.first_special))
        p.first_special = q.first_special;
    if (q.unwritten && (p.unwritten == 0 || q.first_unwritten < p.first_unwritten))
        p.first_unwritten = q.first_unwritten;
    p.compared += q.compared;
    p.wrong += q.wrong;
    p.nans += q.nans;
    p.specials += q.specials;
    p.got_nans += q.got_nans;
    p.expected_nans += q.expected_nans;
    p.unwritten += q.unwritten;
    p.poisoned += q.poisoned;
    p.expected_poisoned += q.expected_poisoned;
    p.seen += q.seen;
    return p;
}
