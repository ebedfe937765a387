package words

import (
	"slices"
	"strconv"
	"strings"
)

// CountUp reports whether ids go up one by one, as "1, 2, 3", "01, 02", "M0, M1", "A, B", "II, III",
// "1.1, 1.2, 2.1" and "1-2, 3-4" do. One id alone does not.
func CountUp(labels []string) bool {
	ids := make([]string, len(labels))
	single := true
	for i, label := range labels {
		ids[i] = NormalID(label)
		single = single && len(ids[i]) == 1
	}
	for i := 1; i < len(ids); i++ {
		a, b := counters(ids[i-1], single), counters(ids[i], single)
		if a == nil || b == nil || !a.before(b) {
			return false
		}
	}
	return len(ids) > 1
}

// counter is an id as the letters that it begins with, and its numbers.
type counter struct {
	prefix  string
	numbers []int
}

// counters reads an id; nil where it has no number. A letter is a number where every id is one
// character, else letters may be a roman number.
func counters(id string, single bool) *counter {
	digits := strings.IndexAny(id, "0123456789")
	switch {
	case id == "":
		return nil
	case digits < 0 && single:
		return &counter{numbers: []int{int(id[0] - 'a')}}
	case digits < 0:
		if n := romanNumber(id); n > 0 {
			return &counter{numbers: []int{n}}
		}
		return nil
	}
	c := &counter{prefix: id[:digits]}
	for part := range strings.FieldsFuncSeq(id[digits:],
		func(r rune) bool { return strings.ContainsRune(".-_", r) }) {
		number := strings.TrimRight(part, "abcdefghijklmnopqrstuvwxyz")
		n, err := strconv.Atoi(number)
		if err != nil || len(part) > len(number)+1 {
			return nil
		}
		if c.numbers = append(c.numbers, n); part != number {
			c.numbers = append(c.numbers, int(part[len(number)]-'a')+1)
		}
	}
	return c
}

// before reports whether b is the next id after a: one of its numbers is greater by one, behind it
// numbers begin again; or b is the range behind the range a.
func (a *counter) before(b *counter) bool {
	if a.prefix != b.prefix {
		return false
	}
	if n := len(a.numbers); n <= 2 && len(b.numbers) <= 2 &&
		slices.IsSorted(a.numbers) && slices.IsSorted(b.numbers) && n+len(b.numbers) > 2 &&
		b.numbers[0] == a.numbers[n-1]+1 {
		return true
	}
	k := 0
	for k < min(len(a.numbers), len(b.numbers)) && a.numbers[k] == b.numbers[k] {
		k++
	}
	if k == len(b.numbers) || k < len(a.numbers) && b.numbers[k] != a.numbers[k]+1 {
		return false
	}
	for _, again := range b.numbers[min(k+1, len(b.numbers)):] {
		if again > 1 {
			return false
		}
	}
	return k < len(a.numbers) || b.numbers[k] <= 1
}

// romanNumber is the value of a roman number below 40 in lower case, 0 where a text is none.
func romanNumber(s string) (n int) {
	for _, digit := range []struct {
		text  string
		value int
	}{{"x", 10}, {"ix", 9}, {"v", 5}, {"iv", 4}, {"i", 1}} {
		for strings.HasPrefix(s, digit.text) {
			s, n = s[len(digit.text):], n+digit.value
		}
	}
	if s != "" {
		return 0
	}
	return n
}
