// Reads streams with the HTTP client of the JDK, without trailers, on which versions before 21 fail, and with the summary
// as the last row.
//   java Streams URL KEY

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.io.ByteArrayInputStream;

public class Streams {
  private static final String ROWS = "jane@gmail.com\njoe@mailinator.com\n";
  private static String url;
  private static String key;

  public static void main(String[] args) throws Exception {
    url = args[0];
    key = args[1];
    var unknownLength = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(ROWS.repeat(50_000).getBytes()));
    check(100_000, send("", unknownLength).body());
    check(100_000, send("?part=true", unknownLength).body());
    var withRow = send("?summary=row", unknownLength).body().lines().toList();
    expect(withRow.size() == 100_001 && withRow.get(100_000).startsWith("{\"summary\":{\"rows\":100000,"), "a last row");

    System.out.println("Java " + Runtime.version().feature() + " read three streams");
  }

  private static HttpResponse<String> send(String query, BodyPublisher body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url + "/api/v1/emails/detect" + query))
        .header("Content-Type", "text/plain")
        .header("Authorization", "Bearer " + key)
        .POST(body)
        .build();
    var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    expect(response.statusCode() == 200, "status 200: " + response.body());
    return response;
  }

  private static void check(int rows, String body) {
    expect(body.lines().count() == rows && body.contains("\"email\":\"joe@mailinator.com\""), rows + " rows");
  }

  private static void expect(boolean condition, String message) {
    if (!condition) throw new AssertionError(message);
  }
}
