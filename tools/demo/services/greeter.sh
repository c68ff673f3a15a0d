# A service of your own: it says where it is, is well once it has, greets whoever sends it a name, and ends when it is told to.
at="${MUSTER_SERVICE_CONFIGURATION%.json}"
case "$1" in
  run)
    trap 'rm -f "$at.well"; kill $!; exit 0' TERM
    muster-agent service report ready --address "greeter:$$" && touch "$at.well"
    while :; do sleep 60 & wait $!; done ;;
  check) test -e "$at.well" && echo well || exit 7 ;;
  greet) echo "$(sed 's/.*"greeting":"\([^"]*\)".*/\1/' "$at.json"), $(tr -d '"')!" ;;
esac
