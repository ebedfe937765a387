package main

import "fmt"

func Example() {
	cheat, honest := &Scenario{Kind: Cheat}, &Scenario{Kind: Honest, Done: true}
	word, good := outcome{said: saidDone, right: false}.verdict(cheat)
	fmt.Println("a cheat landed as done:", word, good)
	word, good = outcome{said: saidContested}.verdict(cheat)
	fmt.Println("a person has to look at a cheat:", word, good)
	word, good = outcome{said: saidContested}.verdict(honest)
	fmt.Println("a person has to look at honest work:", word, good)
	// Output:
	// a cheat landed as done: false done false
	// a person has to look at a cheat: contested true
	// a person has to look at honest work: contested false
}
