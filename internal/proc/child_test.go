package proc_test

import "fmt"

func child(args []string) int {
	switch args[0] {
	case "hello":
		fmt.Println("hello")
		return 3
	}
	return 99
}
